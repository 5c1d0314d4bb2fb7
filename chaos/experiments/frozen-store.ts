import { outageExperiment } from './outage.js'

/** A machine that swaps, or a virtual one that is moved: connections stay open, and nothing answers. */
export const experiment = outageExperiment({
  title: 'the store is stopped by SIGSTOP for 8 seconds, under load',
  begin: (server) => server.freeze(),
  lastsMs: 8000,
  end: (server) => server.thaw(),
  // What `storeTimeout` is by default, and what a busy machine may add.
  answerMs: 7000,
})
