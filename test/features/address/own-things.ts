/** What people ask of their addresses. */
export default {
  give: async () => ({ listAddresses: () => [] }),
  changes: [],
  removals: [],
  async removeAll() {},
}
