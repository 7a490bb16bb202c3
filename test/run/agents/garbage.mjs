#!/usr/bin/env node
// Says things that belong to no protocol, and ends as if all were well.
const LINES = [
  "Welcome!",
  "{",
  "[]",
  "null",
  "0",
  '"text"',
  '{"type":"nothing that anybody says"}',
  '{"type":"assistant","message":7}',
  '{"type":"result","result":{}}',
  '{"id":1,"result":null}',
  '{"id":1,"error":"no"}',
  '{"method":"session/update","params":{"update":[]}}',
  '{"method":"item/completed","params":null}',
  '{"jsonrpc":"2.0","id":"x","method":"session/request_permission","params":{}}',
  '{"type":"control_request","request_id":1,"request":{"subtype":"can_use_tool"}}',
];
for (const line of LINES) console.log(line);
process.exitCode = 0;
