package io.viaduct.denarii.api;

import java.io.IOException;
import java.net.URI;

/// Thrown if billing does not answer.
public final class BillingAwayException extends IOException {
  private static final long serialVersionUID = 1L;

  BillingAwayException(URI billing, IOException cause) {
    super(
        "billing at %s does not answer (%s): start it, or name it with --billing URL"
            .formatted(
                billing,
                cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage()),
        cause);
  }
}
