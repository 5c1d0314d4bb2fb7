export default {
  // This folder is the root, though there may be a lockfile above it.
  outputFileTracingRoot: import.meta.dirname,
  rewrites: async () => [
    { source: '/shortcut', destination: '/papers/rules' },
    { source: '/papers/shortcut', destination: '/about' },
  ],
}
