package io.viaduct.webgui.billing;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Billing's charge for one flow in one interval, with everything that the price depends on. Units
/// are in the names; `units` are virtual units (vu), `pricePerUnit` is in den/vu,
/// `utilityPerSecond` in den/s, `loss` in 0..1. A quantity that was not measured is null.
public record Charge(
    String id,
    String account,
    @Nullable String snapt,
    @Nullable String session,
    @Nullable String epoch,
    @Nullable String sequence,
    @Nullable String flow,
    @Nullable Instant start,
    @Nullable Instant end,
    @Nullable String application,
    @Nullable String serviceClass,
    @Nullable String protocol,
    @Nullable String remoteAddress,
    @Nullable Integer remotePort,
    long preBytes,
    long postBytes,
    long savedBytes,
    @Nullable Double savedPercent,
    @Nullable Long durationMs,
    @Nullable Double throughputKbitPerSecond,
    @Nullable Double offeredKbitPerSecond,
    @Nullable Double delayMs,
    @Nullable Double delayErrorMs,
    @Nullable String delaySource,
    @Nullable Double loss,
    @Nullable Double utilityPerSecond,
    @Nullable Double pricePerUnit,
    @Nullable Double units,
    MicroDenarii chargeMicrodenarii,
    MicroDenarii discountMicrodenarii,
    @Nullable String discountBase,
    @Nullable String discountBeneficiary,
    @Nullable MicroDenarii rewardMicrodenarii,
    @Nullable MicroDenarii accessFeeMicrodenarii,
    @Nullable MicroDenarii surchargeMicrodenarii,
    @Nullable MicroDenarii promiseRefundMicrodenarii,
    MicroDenarii netMicrodenarii,
    @Nullable MicroDenarii refundedMicrodenarii,
    @Nullable String tariffVersion,
    @Nullable String state,
    @Nullable String limitedBy,
    @Nullable String brokenPromise,
    @Nullable Double promised,
    @Nullable Double measured,
    @Nullable String device,
    @Nullable String link,
    @Nullable String carriedByCall,
    @Nullable Integer revision) {
  /// Classes of service as machines spell them, and states, in the order in which they are shown.
  public static final List<String> CLASSES = List.of("LT_LD", "HT_LD", "LT_HD", "HT_HD");

  public static final List<String> STATES =
      List.of("provisional", "final_provisional", "corrected", "final", "adjusted", "void");

  private static final Set<String> LIMITS = Set.of("nothing", "call", "price", "utility", "cap");

  private static final Set<String> DISCOUNT_BASES = Set.of("saved", "served");

  private static final Set<String> BENEFICIARIES = Set.of("user", "sharer", "split");

  private static final Set<String> PROMISES = Set.of("delay", "throughput");

  private static final Set<String> DELAY_SOURCES =
      Set.of("measured", "last_good", "half_control_rtt", "reference");

  public Charge {
    Objects.requireNonNull(id);
    Objects.requireNonNull(account);
    Objects.requireNonNull(chargeMicrodenarii);
    Objects.requireNonNull(discountMicrodenarii);
    Objects.requireNonNull(netMicrodenarii);
  }

  /// Length of the interval, milliseconds; null if billing does not say it. The flow may have lived
  /// for a moment of it only.
  public @Nullable Long intervalMs() {
    return start == null || end == null ? null : Duration.between(start, end).toMillis();
  }

  /// The class if it is one that the pages have words for, else null; likewise below.
  public @Nullable String knownClass() {
    return serviceClass != null && CLASSES.contains(serviceClass) ? serviceClass : null;
  }

  public @Nullable String knownState() {
    return known(STATES, state);
  }

  public @Nullable String knownDelaySource() {
    return known(DELAY_SOURCES, delaySource);
  }

  public @Nullable String knownLimit() {
    return known(LIMITS, limitedBy);
  }

  public @Nullable String knownDiscountBase() {
    return known(DISCOUNT_BASES, discountBase);
  }

  public @Nullable String knownBeneficiary() {
    return known(BENEFICIARIES, discountBeneficiary);
  }

  public @Nullable String knownPromise() {
    return known(PROMISES, brokenPromise);
  }

  /// Returns the price of a unit times the units, denarii, before a limit; null if one is unknown.
  public @Nullable Double valueOfUnits() {
    return pricePerUnit == null || units == null ? null : (Double) (pricePerUnit * units);
  }

  /// Returns what may still be refunded.
  public MicroDenarii refundable() {
    long refunded = refundedMicrodenarii == null ? 0 : refundedMicrodenarii.value();
    return new MicroDenarii(netMicrodenarii.value() - refunded);
  }

  private static @Nullable String known(Collection<String> words, @Nullable String text) {
    String word = text == null ? "" : text.toLowerCase(Locale.ROOT);
    return words.contains(word) ? word : null;
  }
}
