package io.viaduct.webgui.billing;

import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import io.viaduct.webgui.peer.JsonPeer.Tagged;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import tools.jackson.databind.JsonNode;

/// Billing's REST interface for the credit of an account: what its user and an operator set, and
/// the notices of its changes. Each change carries the tag of the credit as it was seen; billing
/// refuses it with 412 if somebody has changed the credit since.
public final class AccountCredits {
  private final JsonPeer peer;

  public AccountCredits(JsonPeer peer) {
    this.peer = peer;
  }

  public Tagged<AccountCredit> credit(BearerToken token, String account) {
    return peer.getTagged(at(account), token, AccountCredit.class);
  }

  /// Sets how far the balance may go below zero, as an operator.
  public void setLimit(BearerToken token, String account, String tag, MicroDenarii limit) {
    change(token, account, "/limit", tag, Map.of("limitMicrodenarii", limit));
  }

  /// @param day most to spend per day (UTC), null for no cap; likewise `month`
  public void setCaps(
      BearerToken token,
      String account,
      String tag,
      @Nullable MicroDenarii day,
      @Nullable MicroDenarii month) {
    Map<String, MicroDenarii> caps = new HashMap<>();
    put(caps, "dayMicrodenarii", day);
    put(caps, "monthMicrodenarii", month);
    change(token, account, "/caps", tag, caps);
  }

  /// @param low credit below which the user is told, null for the operator's threshold
  public void setAlert(BearerToken token, String account, String tag, @Nullable MicroDenarii low) {
    Map<String, MicroDenarii> alert = new HashMap<>();
    put(alert, "lowMicrodenarii", low);
    change(token, account, "/alert", tag, alert);
  }

  /// Blocks or unblocks all traffic, as an operator.
  public void setBlocked(
      BearerToken token, String account, String tag, boolean isBlocked, String reason) {
    change(token, account, "/block", tag, Map.of("blocked", isBlocked, "reason", reason));
  }

  private static void put(
      Map<String, MicroDenarii> body, String key, @Nullable MicroDenarii amount) {
    if (amount != null) {
      body.put(key, amount);
    }
  }

  private void change(
      BearerToken token, String account, String what, String tag, Map<String, ?> body) {
    var unused = peer.replace(HttpMethod.PUT, at(account) + what, token, tag, body, JsonNode.class);
  }

  public CreditNotices notices(
      BearerToken token, String account, int limit, @Nullable String cursor) {
    String next = cursor == null || cursor.isBlank() ? "" : "&cursor=" + Billing.encode(cursor);
    return peer.get(at(account) + "/notices?limit=" + limit + next, token, CreditNotices.class);
  }

  private static String at(String account) {
    return "/accounts/" + Billing.encode(account) + "/credit";
  }
}
