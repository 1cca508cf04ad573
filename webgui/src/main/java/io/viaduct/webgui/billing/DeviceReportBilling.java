package io.viaduct.webgui.billing;

import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.UriComponentsBuilder;

/// Billing's REST interface for reports of devices.
public final class DeviceReportBilling {
  private final JsonPeer peer;

  public DeviceReportBilling(JsonPeer peer) {
    this.peer = peer;
  }

  /// Reports of all accounts that no report of the SNAPT has answered, latest first.
  ///
  /// @param cursor `next` of the previous page; null for the first page
  public DeviceReports page(BearerToken token, int limit, @Nullable String cursor) {
    return peer.get(
        UriComponentsBuilder.fromPath("/reports/devices")
            .queryParam("limit", limit)
            .queryParam("cursor", "{cursor}")
            .encode()
            .buildAndExpand(Objects.requireNonNullElse(cursor, ""))
            .toUriString(),
        token,
        DeviceReports.class);
  }

  /// The latest of one account.
  public DeviceReports latest(BearerToken token, String account, int limit) {
    return peer.get(
        UriComponentsBuilder.fromPath("/accounts/{account}/device-reports")
            .queryParam("limit", limit)
            .encode()
            .buildAndExpand(account)
            .toUriString(),
        token,
        DeviceReports.class);
  }
}
