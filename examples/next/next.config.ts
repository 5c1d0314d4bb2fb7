import type { NextConfig } from 'next'

const config: NextConfig = {
  // This folder is the root, though the repository has a lockfile of its own.
  turbopack: { root: import.meta.dirname },
}

export default config
