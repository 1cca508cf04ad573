package io.viaduct.billing;

import io.viaduct.fuzzing.CorpusReplay;

class FuzzCorpusTest extends CorpusReplay {}
