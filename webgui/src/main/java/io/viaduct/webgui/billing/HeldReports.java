package io.viaduct.webgui.billing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Held reports, newest first.
///
/// @param next cursor of the page of older ones, null on the last page
public record HeldReports(List<HeldReport> held, @Nullable String next) {
  public HeldReports {
    held = List.copyOf(held);
  }
}
