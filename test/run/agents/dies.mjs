#!/usr/bin/env node
// Ends in the middle of a line, with a complaint.
process.stderr.write("something broke\n");
process.stdout.write('{"type":"assistant","mess', () => process.exit(3));
