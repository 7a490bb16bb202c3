// Titles: what OpenCode calls a session until its model has thought of something better.

export function isDefaultTitle(title: string): boolean {
  return /^(?:New|Child) session - \d{4}-\d\d-\d\dT/.test(title);
}
