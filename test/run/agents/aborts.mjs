#!/usr/bin/env node
// Ends as a program does that finds a fault in itself.
process.abort();
