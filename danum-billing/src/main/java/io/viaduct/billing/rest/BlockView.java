package io.viaduct.billing.rest;

import io.viaduct.billing.credit.CreditBlocks;
import java.time.Instant;

/// An operator's decision to block an account or to lift its block.
record BlockView(boolean blocked, String reason, String decidedBy, Instant decidedAt) {
  static BlockView of(CreditBlocks.Decision decision) {
    return new BlockView(
        decision.isBlocked(), decision.reason(), decision.decidedBy(), decision.decidedAt());
  }
}
