package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.links.LinkListener;
import io.viaduct.cnapt.links.UsableLink;
import org.jspecify.annotations.Nullable;

/// Passes each difference of the usable links on in one form.
record LinkDifferences(Receiver to) implements LinkListener {
  /// Takes a difference.
  @FunctionalInterface
  interface Receiver {
    /// @param before null for a link that is new
    /// @param now null for a link that is gone
    void changed(@Nullable UsableLink before, @Nullable UsableLink now);
  }

  @Override
  public void linkAdded(UsableLink link) {
    to.changed(null, link);
  }

  @Override
  public void linkRemoved(UsableLink link) {
    to.changed(link, null);
  }

  @Override
  public void linkChanged(UsableLink before, UsableLink now) {
    to.changed(before, now);
  }
}
