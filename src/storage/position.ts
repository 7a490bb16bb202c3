// Where in the records of a session somebody is.

export interface Position {
  offset: number;
  index: number;
  line: number;
}

export const START: Position = { offset: 0, index: 0, line: 1 };
