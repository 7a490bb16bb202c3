#!/usr/bin/env node
// Never reads what it is told.
setInterval(() => undefined, 1000);
