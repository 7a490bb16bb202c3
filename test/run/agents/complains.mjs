#!/usr/bin/env node
// Says nothing, but complains all the time that it does not get on.
process.stdin.resume();
setInterval(() => console.error("still trying"), 50);
