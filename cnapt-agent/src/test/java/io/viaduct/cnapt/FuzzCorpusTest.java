package io.viaduct.cnapt;

import io.viaduct.fuzzing.CorpusReplay;

class FuzzCorpusTest extends CorpusReplay {}
