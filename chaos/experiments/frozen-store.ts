import { outageExperiment } from './outage.js'

/** As on a machine that swaps, or a virtual machine that is moved: connections stay open, and nothing answers. */
export const experiment = outageExperiment({
  title: 'the store is stopped by SIGSTOP for 8 seconds, under load',
  begin: (server) => server.freeze(),
  lastsMs: 8000,
  end: (server) => server.thaw(),
  // The default of `storeTimeout`, and a margin for a busy machine.
  answerMs: 7000,
})
