package io.viaduct.webgui.billing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Unsigned intervals, newest first.
///
/// @param next cursor of the page of older ones, null on the last page
public record UnsignedIntervals(List<UnsignedInterval> unsigned, @Nullable String next) {
  public UnsignedIntervals {
    unsigned = List.copyOf(unsigned);
  }
}
