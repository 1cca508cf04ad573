package io.viaduct.bridge.events;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.viaduct.bridge.registrar.AccountFacts;
import io.viaduct.bridge.registrar.AccountFacts.TariffInForce;
import io.viaduct.bridge.registrar.CreditState;
import io.viaduct.bridge.registrar.Subscribers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/// Event package `viaduct-account`: balance, tariff in force and state of the credit. Billing is
/// asked at each SUBSCRIBE, when the state of the credit changes, and once in a minute; a NOTIFY is
/// sent if something differs. While billing is away the document says so, and has no amounts.
final class AccountEvents implements EventPackage<Optional<AccountFacts>> {
  private static final Duration PERIOD = Duration.ofMinutes(1);
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final AccountFacts.Source accounts;
  private final Subscribers subscribers;

  AccountEvents(AccountFacts.Source accounts, Subscribers subscribers) {
    this.accounts = accounts;
    this.subscribers = subscribers;
  }

  @JsonInclude(JsonInclude.Include.NON_NULL)
  private record Document(
      int version,
      String account,
      long asOf,
      String billing,
      String credit,
      boolean low,
      @Nullable Amounts amounts,
      @Nullable TariffLine tariff,
      @Nullable TariffLine next) {}

  private record Amounts(
      String balanceMicrodenarii,
      String availableMicrodenarii,
      String spentTodayMicrodenarii,
      String thresholdMicrodenarii) {}

  private record TariffLine(int version, long from) {}

  @Override
  public String name() {
    return "viaduct-account";
  }

  @Override
  public String type() {
    return "application/json";
  }

  @Override
  public Object trigger(String user, Instant now) {
    return List.of(subscribers.credit(user), minute(user, now));
  }

  // Each user has an own second of the minute, so that billing is not asked about all at once.
  private static long minute(String user, Instant now) {
    return (now.getEpochSecond() + shift(user)) / PERIOD.toSeconds();
  }

  private static long shift(String user) {
    return Math.floorMod(user.hashCode(), PERIOD.toSeconds());
  }

  @Override
  public Instant next(String user, Instant now) {
    return Instant.ofEpochSecond((minute(user, now) + 1) * PERIOD.toSeconds() - shift(user));
  }

  @Override
  public CompletableFuture<Optional<AccountFacts>> state(String user, Instant now) {
    return accounts.ask(user, 0).handle((facts, _) -> Optional.ofNullable(facts));
  }

  @Override
  public String document(
      String user, Optional<AccountFacts> facts, @Nullable Object told, int version, Instant now) {
    CreditState credit = facts.map(AccountFacts::credit).orElseGet(() -> subscribers.credit(user));
    return JSON.writeValueAsString(
        new Document(
            version,
            user,
            now.toEpochMilli(),
            facts.isPresent() ? "current" : "away",
            credit.name(),
            credit != CreditState.SUFFICIENT,
            facts.map(AccountEvents::amounts).orElse(null),
            facts.map(each -> line(each.tariff())).orElse(null),
            facts.flatMap(AccountFacts::next).map(AccountEvents::line).orElse(null)));
  }

  private static Amounts amounts(AccountFacts facts) {
    return new Amounts(
        Long.toString(facts.balance()),
        Long.toString(facts.available()),
        Long.toString(facts.spentToday()),
        Long.toString(facts.threshold()));
  }

  private static TariffLine line(TariffInForce tariff) {
    return new TariffLine(tariff.version(), tariff.effectiveFrom().toEpochMilli());
  }
}
