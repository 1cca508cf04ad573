package io.viaduct.testbed.demo;

import io.viaduct.setup.users.BillingClient.RefusedException;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/// Client of billing's REST interface for an operator or a user. Requests are repeated while
/// billing restarts. This is safe: logins and reads change nothing, accounts and top-ups have keys.
public final class BillingClient {
  private static final int CONFLICT = 409;

  private final io.viaduct.setup.users.BillingClient billing;

  public BillingClient(String base, Retry retry) {
    billing =
        new io.viaduct.setup.users.BillingClient(URI.create(base), retry.nanoTime(), retry.limit());
  }

  /// Formats micro-denarii for people.
  static String denarii(long microdenarii) {
    String sign = microdenarii < 0 ? "-" : "";
    long size = Math.abs(microdenarii);
    return "%s%d.%06d".formatted(sign, size / 1_000_000, size % 1_000_000);
  }

  public BillingClient logIn(String user, String password) throws IOException {
    billing.logIn(user, password);
    return this;
  }

  /// Creates an account. An existing account counts as success: the database belongs to this run,
  /// so an earlier try of this request created the account and its response was lost.
  public void createAccount(String id, String password, String displayName) throws IOException {
    var account =
        Map.of("id", id, "password", password, "role", "user", "displayName", displayName);
    try {
      billing.send("POST", "/accounts", account, Map.of());
    } catch (RefusedException e) {
      if (e.problem().status() != CONFLICT) {
        throw e;
      }
    }
  }

  public void topUp(String account, long microdenarii, String key) throws IOException {
    billing.send(
        "POST",
        "/accounts/" + account + "/top-ups",
        Map.of("amountMicrodenarii", Long.toString(microdenarii), "reference", "demo"),
        Map.of("Idempotency-Key", key));
  }

  /// Blocks an account, or lifts its block.
  public void block(String account, boolean isBlocked) throws IOException {
    String credit = "/accounts/" + account + "/credit";
    billing.change(
        "PUT", credit, credit + "/block", Map.of("blocked", isBlocked, "reason", "measurement"));
  }

  /// Suspends an account, or lets it in again.
  public void suspend(String account, boolean isSuspended) throws IOException {
    String path = "/accounts/" + account;
    billing.change("PATCH", path, path, Map.of("state", isSuspended ? "suspended" : "active"));
  }

  /// Removes all devices of an account.
  public void removeDevices(String account) throws IOException {
    String devices = "/accounts/" + account + "/devices";
    for (JsonNode each : get(devices).path("devices")) {
      billing.change("DELETE", devices, devices + "/" + each.path("id").asString(), null);
    }
  }

  /// Returns the posted balance of an account in micro-denarii.
  public long balance(String account) throws IOException {
    return get("/accounts/" + account + "/balance").path("postedMicrodenarii").asLong();
  }

  /// Returns all charges of an account, read page by page.
  List<Charge> charges(String account) throws IOException {
    var all = new ArrayList<Charge>();
    String cursor = "";
    do {
      JsonNode page = get("/accounts/%s/charges?limit=200%s".formatted(account, cursor));
      page.path("charges").forEach(charge -> all.add(Charge.of(charge)));
      JsonNode next = page.path("next");
      cursor = next.isNull() || next.isMissingNode() ? "" : "&cursor=" + next.asString();
    } while (!cursor.isEmpty());
    return all;
  }

  /// Returns the inner bytes of all charges of an account.
  public long chargedBytes(String account) throws IOException {
    return charges(account).stream().mapToLong(Charge::preBytes).sum();
  }

  /// Returns the sum of an account's charges before discounts and fees, in micro-denarii.
  public long charged(String account) throws IOException {
    return charges(account).stream().mapToLong(Charge::charge).sum();
  }

  /// Returns the sum of an account's charges in a state, before discounts and fees, in
  /// micro-denarii.
  ///
  /// @param state such as `final`, which a settled charge has
  public long charged(String account, String state) throws IOException {
    return charges(account).stream()
        .filter(charge -> charge.state().equals(state))
        .mapToLong(Charge::charge)
        .sum();
  }

  /// Returns what an account has earned by relaying sessions of its neighbours, in micro-denarii.
  public long relayRewards(String account) throws IOException {
    return get("/accounts/" + account + "/relay-rewards").path("earnedMicrodenarii").asLong();
  }

  /// Returns the inner bytes of all charges of an account for one far end.
  ///
  /// @param remote `address:port`
  public long chargedBytes(String account, String remote) throws IOException {
    return charges(account).stream()
        .filter(charge -> charge.remote().equals(remote))
        .mapToLong(Charge::preBytes)
        .sum();
  }

  /// Returns the invariants of the ledger that do not hold, as JSON; empty if all hold. An operator
  /// may ask.
  public String brokenInvariants() throws IOException {
    JsonNode verification = get("/ledger/verification");
    return verification.path("holds").asBoolean() ? "" : verification.path("checks").toString();
  }

  /// Returns how many charges of an account repeat another one: of the same flow and interval.
  public long chargedTwice(String account) throws IOException {
    List<Charge> charges = charges(account);
    return charges.size() - charges.stream().map(Charge::key).distinct().count();
  }

  /// Returns how many charges of an account are of an interval that is not within a time.
  public long chargedOutside(String account, Instant from, Instant to) throws IOException {
    return charges(account).stream()
        .filter(charge -> charge.start().isBefore(from) || charge.end().isAfter(to))
        .count();
  }

  /// Returns the reports that have not come although later ones have; for an operator.
  public int missingReports() throws IOException {
    return get("/reports/gaps").path("gaps").size();
  }

  /// Returns the reports that billing has refused; for an operator.
  public int refusedReports() throws IOException {
    return get("/reports/refused").path("refused").size();
  }

  /// Returns the sum of an account's surcharges of the owners of SNAPTs, in micro-denarii.
  public long surcharges(String account) throws IOException {
    return charges(account).stream().mapToLong(Charge::surcharge).sum();
  }

  /// Stores what an owner of SNAPTs asks per megabyte of a class, from now on.
  public void surcharge(String owner, String serviceClass, double denariiPerMegabyte)
      throws IOException {
    billing.send(
        "POST",
        "/owners/" + owner + "/surcharges",
        Map.of(
            "surcharge", Map.of("denarii-per-megabyte", Map.of(serviceClass, denariiPerMegabyte))),
        Map.of());
  }

  /// Enrols a SNAPT.
  ///
  /// @param reportKey raw public key, base64
  public void enrol(String snapt, String reportKey, String owner) throws IOException {
    billing.send(
        "PUT",
        "/snapts/" + snapt,
        Map.of("reportKey", reportKey, "owner", owner, "region", "core"),
        Map.of());
  }

  /// Changes the region of a SNAPT that is enrolled.
  ///
  /// @param reportKey raw public key, base64
  public void place(String snapt, String reportKey, String owner, String region)
      throws IOException {
    String path = "/snapts/" + snapt;
    billing.change(
        "PUT", path, path, Map.of("reportKey", reportKey, "owner", owner, "region", region));
  }

  /// Removes a SNAPT.
  public void remove(String snapt) throws IOException {
    billing.send("DELETE", "/snapts/" + snapt, null, Map.of());
  }

  JsonNode get(String path) throws IOException {
    try {
      return billing.send("GET", path, null, Map.of());
    } catch (RefusedException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }
}
