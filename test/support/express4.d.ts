/** Express 4 has no types beside those of 5; what these tests use of it is the same in both. */
declare module 'express4' {
  import express from 'express'
  export default express
}
