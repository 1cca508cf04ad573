package io.viaduct.cnapt.links;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The status of one usable link.
///
/// @param use `yes` or `spare`
/// @param signalDbm newest signal strength of a wireless link; null for other links
/// @param portal page of the captive portal in the way of the link, while other links carry; empty
///   if none was noticed
public record LinkStatus(
    String name,
    String use,
    double cost,
    List<String> addresses,
    @Nullable Integer signalDbm,
    String portal) {

  /// Returns the status with the page of a captive portal.
  public LinkStatus behind(String page) {
    return new LinkStatus(name, use, cost, addresses, signalDbm, page);
  }
}
