package io.viaduct.webgui.billing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Refused reports, newest first.
///
/// @param next cursor of the page of older ones, null on the last page
public record RefusedReports(List<RefusedReport> refused, @Nullable String next) {
  public RefusedReports {
    refused = List.copyOf(refused);
  }
}
