/** A guarded route that any path below `/private` runs, and that trusts the guard alone. */
const run = () => {
  console.log('the guarded route has run')
  return new Response('behind the guard')
}

export const GET = run
export const POST = run
