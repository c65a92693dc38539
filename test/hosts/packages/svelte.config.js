// The SvelteKit host of sveltekit.release.test.ts. Its check of the Origin of forms is on, as it is by default.
import adapter from '@sveltejs/adapter-node';

export default { kit: { adapter: adapter() } };
