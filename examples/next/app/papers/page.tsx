import { auth } from '../../auth'

// The proxy lets only visitors through who are signed in.
export default async function Papers() {
  const session = await auth()
  return <h1>Papers of {session?.user?.name ?? session?.user?.email}</h1>
}
