const { availableParallelism } = require('node:os')

// All processes of a run have it: it begins the names of what they make on servers.
process.env.TEST_RUN ??= String(process.pid)

/** How mocha runs the tests: each file in one of several processes. */
module.exports = {
  'node-option': ['import=tsx', 'no-experimental-require-module'],
  reporter: './test/support/reporter.ts',
  require: './test/support/after-run.ts',
  parallel: true,
  // Some tests wait, for a clock or a server, so two processes do not keep one core busy.
  jobs: Math.max(2, availableParallelism()),
  timeout: 60_000,
  slow: 500,
  'forbid-only': true,
  // In CI a skipped test is a failed one.
  'forbid-pending': Boolean(process.env.CI),
  exit: true,
}
