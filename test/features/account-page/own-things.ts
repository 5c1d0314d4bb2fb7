/** The page with what is theirs. */
export default {
  give: async () => ({ renderAccount: () => [{ csrfToken: 'a'.repeat(64) }] }),
  changes: [],
  removals: [],
  removeAll: async () => {},
}
