package planfile

// adjectiveWords, verbWords and nounWords are what slugs are made of.
const adjectiveWords = `
	agile airy alert amber ample apt arctic ashen astute autumn azure balmy basic beige blithe bold bonny brave
	breezy bright bronze bubbly buoyant calm candid careful casual cheery civil clean clear clever coastal comic
	compact content coral cosmic cozy crafty crimson crisp curious curly dapper daring dashing dewy distant dreamy
	eager early earnest easy elastic electric elegant emerald epic even fabled fair faithful famous fancy fearless
	festive fine firm fleet floral fluent fluffy formal fresh frugal gentle genuine gilded glad gleaming glossy
	golden graceful grand grassy green hazel hearty hidden honest humble hushed icy indigo inland ivory jade
	jaunty jolly keen kind lasting leafy lean level light lilac limber linen little lively lofty loyal lucid lucky
	lunar lush magnetic marble marine mellow merry mighty mild mindful minty modest mossy muted native neat nimble
	noble northern novel olive opal open orderly patient pearly plucky plum polar polite prime proud prudent
	quaint quick quiet radiant rare ready regal ripe robust rosy round rustic sandy satin scarlet serene shady
	sharp silent silken silver simple sleek smooth snowy snug solar solid spry stable starry stellar still sturdy
	sunny supple swift tangy tidy timely tiny tranquil trusty upbeat velvet vivid warm wavy wise witty zesty
`

const verbWords = `
	baking balancing bending blinking blooming boating bouncing bracing brewing brushing building carving casting
	chasing circling climbing coasting coiling combing counting crafting dancing darting digging dipping drafting
	drawing dreaming drifting drumming echoing fetching fishing floating flowing flying gazing gliding glowing
	grazing growing guarding hopping hovering humming jogging juggling knitting landing lapping leaning leaping
	lifting mapping marching mending minding mixing nesting nodding pacing packing painting parading planting
	playing polishing puzzling racing resting rhyming riding roaming rolling rowing scouting shaping sharing
	singing skating sketching sorting spinning sprouting stacking stitching surfing swimming tending tracing
	trekking tuning twirling wading walking waving weaving winding wondering writing
`

const nounWords = `
	acorn alder almond anchor antler arbor archer atlas aurora badger bamboo banjo barley basin bay beacon bear
	beaver beetle bell birch bison bloom breeze bridge brook bugle cabin cactus camel canal candle canyon cedar
	cello chalk cherry chestnut cliff clock cloud comet compass condor cove crane creek cricket crow daisy dawn
	delta dingo dolphin dove dune eagle egret elm falcon fawn feather fern ferry fiddle field fjord flame forest
	fox frog gable galaxy garden garnet gecko geyser glacier glade glen goose grove gull hamlet harbor hare hawk
	hazelnut heron hill hollow horizon ibex inlet iris ivy jackal jaguar jasmine juniper kayak kelp kestrel kettle
	kite lagoon lake lantern larch lark laurel lemur lichen lily lion llama lotus lynx magpie mango mantis maple
	marlin marten meadow mesa meteor mill mole moon moose moss mountain nectar newt nutmeg oak oasis ocean orbit
	orchard osprey otter owl oyster panda panther parrot peach pebble penguin pepper petal pigeon pine planet
	plover pond poplar prairie puffin quail quartz quince rabbit raven reed reef river robin rook sage salmon
	sequoia shore sparrow spruce starling stork stream summit swallow swan thicket thistle thrush toucan trout
	tulip tundra turtle valley violet walnut walrus wolf wombat wren yak zebra
`
