// Types of the TypeScript adapter, inserted before the functions to fill in.

/** A plan of the dialect; unknown members must be kept. */
interface Plan {
  [member: string]: any;
}

interface Limits {
  max_plan_steps?: number;
  max_reply_bytes?: number;
  max_depth?: number;
}

type Warning = { code: string; ids?: string[] };
/** The new plan, or the new plan with the members that GIVES names. */
type Answer = Plan | { plan: Plan; warnings?: Warning[] };
type Reply = string | { base64: string };

interface Case {
  dialect: string;
  plan?: Plan;
  replies?: Reply[];
  limits?: Limits;
  [member: string]: any;
}

interface Outcome {
  verdict: string;
  [member: string]: unknown;
}
