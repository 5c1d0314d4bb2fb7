import type { GetServerSideProps } from 'next'
import { auth } from '../auth'

export const getServerSideProps: GetServerSideProps<{ name: string }> = async (context) => {
  const session = await auth(context)
  return { props: { name: session?.user?.name ?? 'nobody' } }
}

export default function Letters({ name }: { name: string }) {
  return <h1>Letters of {name}</h1>
}
