package io.viaduct.webgui.billing;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The outcome of releasing a report.
///
/// @param outcome `posted`, `already_posted`, `held`, `refused` or `deferred`
/// @param detail billing's sentence where it was not posted
public record Release(String outcome, @Nullable String detail) {
  public Release {
    Objects.requireNonNull(outcome);
  }

  public boolean isPosted() {
    return outcome.equals("posted") || outcome.equals("already_posted");
  }
}
