package io.viaduct.webgui.billing;

import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import org.springframework.web.util.UriComponentsBuilder;

/// Billing's REST interface for reports of devices.
public final class DeviceReportBilling {
  private final JsonPeer peer;

  public DeviceReportBilling(JsonPeer peer) {
    this.peer = peer;
  }

  /// The latest reports of all accounts that no report of the SNAPT has answered.
  public DeviceReports latest(BearerToken token, int limit) {
    return peer.get("/reports/devices?limit=" + limit, token, DeviceReports.class);
  }

  /// Likewise, of one account.
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
