package io.viaduct.billing.diameter;

import io.viaduct.billing.BillingApplication;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffDocument;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.UUID;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// A running billing on a database of its own, that speaks Diameter and has a price for calls.
final class ChargedCalls implements AutoCloseable {
  static final String IDENTITY = "billing.ims.test";

  /// An identity that is resolved without a name server.
  static final String LOCALHOST = "localhost";

  static final String REALM = "ims.test";
  static final long DENARIUS = 1_000_000;

  final RunningBilling billing;
  private final InstantSource clock;

  /// @param peer Origin-Host of the node that may connect
  ChargedCalls(Path folder, InstantSource clock, String peer) throws Exception {
    this(folder, clock, IDENTITY, peer, "{}");
  }

  /// @param identity Origin-Host of billing
  /// @param bounds YAML of the bounds of grants
  ChargedCalls(Path folder, InstantSource clock, String identity, String peer, String bounds)
      throws Exception {
    this.clock = clock;
    billing =
        RunningBilling.start(
            folder,
            clock,
            SharedDatabase.separate("calls_" + UUID.randomUUID().toString().replace("-", "")),
            """
            diameter:
              identity: %s
              realm: %s
              port: 0
              peers: [{host: %s, sources: [127.0.0.1]}]
              calls: %s
            """
                .formatted(identity, REALM, peer, bounds));
  }

  int port() {
    return BillingApplication.diameterPort(billing.parts);
  }

  /// Puts a tariff in force that is the shipped one with another price for calls.
  ///
  /// @param perSecond den; null for no price
  void price(Double perSecond) {
    ObjectNode document =
        (ObjectNode) JsonMapper.shared().readTree(TariffDocument.print(initial()));
    if (perSecond != null) {
      ((ObjectNode) document.get("fees")).put("PER_CALL_SECOND", perSecond);
    }
    Instant now = clock.instant();
    var unused =
        billing
            .parts
            .getBean(TariffBook.class)
            .add(TariffDocument.parse(document.toString()), now, "test", now);
  }

  private static Tariff initial() {
    return TariffDocument.initial();
  }

  /// Opens an account with money.
  void open(String account, long microdenarii) throws Exception {
    String operator = billing.operator();
    billing.openAccount(operator, account);
    if (microdenarii > 0) {
      topUp(account, microdenarii);
    }
  }

  void topUp(String account, long microdenarii) throws Exception {
    RunningBilling.Answer answer =
        billing.call(
            "POST",
            "/api/v1/accounts/" + account + "/top-ups",
            billing.operator(),
            "{\"amountMicrodenarii\":\"%d\",\"reference\":\"cash\"}".formatted(microdenarii),
            Map.of("Idempotency-Key", UUID.randomUUID().toString()));
    if (answer.status() != 201) {
      throw new AssertionError(answer.raw().body());
    }
  }

  @Override
  public void close() {
    billing.close();
  }
}
