#!/usr/bin/env node
// Says something every tenth of a second, three times, and ends.
let said = 0;
setInterval(() => {
  console.log(`still here ${++said}`);
  if (said === 3) process.exit(0);
}, 100);
