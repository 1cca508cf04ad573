package io.viaduct.webgui.billing;

import static io.viaduct.webgui.peer.JsonPeer.authorized;

import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/// Billing's REST interface for money that users bring themselves: vouchers, and payments at the
/// payment provider.
public final class BroughtMoney {
  private final JsonPeer peer;

  public BroughtMoney(JsonPeer peer) {
    this.peer = peer;
  }

  /// Redeems a voucher.
  ///
  /// @param visitor numeric address of the browser, for the limit of guesses
  public RedeemedVoucher redeem(BearerToken token, String account, String code, String visitor) {
    return peer.post(
        at(account) + "/redemptions",
        authorized(token).andThen(headers -> headers.set("X-Forwarded-For", visitor)),
        Map.of("code", code),
        RedeemedVoucher.class);
  }

  /// Starts a payment once per key.
  public StartedPayment startPayment(
      BearerToken token, String account, UUID key, MicroDenarii amount) {
    return peer.post(
        at(account) + "/payments",
        once(token, key),
        Map.of("amountMicrodenarii", amount.json()),
        StartedPayment.class);
  }

  public StartedPayments payments(
      BearerToken token, String account, int limit, @Nullable String cursor) {
    return peer.get(
        at(account) + "/payments?limit=" + limit + next(cursor), token, StartedPayments.class);
  }

  /// Makes vouchers once per key.
  public MadeVouchers makeVouchers(
      BearerToken token, UUID key, int count, MicroDenarii amount, Instant expiresAt, String note) {
    return peer.post(
        "/vouchers",
        once(token, key),
        Map.of(
            "count",
            count,
            "amountMicrodenarii",
            amount.json(),
            "expiresAt",
            expiresAt.toString(),
            "note",
            note),
        MadeVouchers.class);
  }

  public VoucherBatches batches(BearerToken token, int limit, @Nullable String cursor) {
    return peer.get("/vouchers?limit=" + limit + next(cursor), token, VoucherBatches.class);
  }

  /// Takes back what is open of a batch.
  ///
  /// @param key made with the form: sent twice, the batch is taken back once
  public VoucherBatch takeBack(BearerToken token, UUID key, String batch, String reason) {
    return peer.post(
        "/vouchers/" + Billing.encode(batch) + "/return",
        once(token, key),
        Map.of("reason", reason),
        VoucherBatch.class);
  }

  private static Consumer<HttpHeaders> once(BearerToken token, UUID key) {
    return authorized(token).andThen(headers -> headers.set("Idempotency-Key", key.toString()));
  }

  private static String at(String account) {
    return "/accounts/" + Billing.encode(account);
  }

  private static String next(@Nullable String cursor) {
    return cursor == null || cursor.isBlank() ? "" : "&cursor=" + Billing.encode(cursor);
  }
}
