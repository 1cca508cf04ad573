package io.viaduct.billing.tariff;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/// A tariff. A price depends only on it and on the measurement.
///
/// @param classes one curve for each service class
/// @param applications references by application name; an unknown name has those of its class
/// @param discount rule for the discount on saved bytes
/// @param fees fees, den; none that is not named
/// @param caps caps, den; none that is not named
/// @param refunds share of the charge less its discount that is given back when a promise was
///   broken, 0..1; none for a promise that is not named
/// @param creditFailure what happens to the traffic of a class while billing is away; a class that
///   is not named goes on
/// @param providerFee share of a settled charge that the SNAPT's owner earns, 0..1
/// @param relayShare share of a settled charge that relays earn together if all its bytes went by
///   them, 0..1 (ADR 0068)
public record Tariff(
    Map<ServiceClass, ClassTariff> classes,
    Map<String, ApplicationReference> applications,
    DiscountRule discount,
    Map<AccessFee, Double> fees,
    Map<Cap, Double> caps,
    Map<Promise, Double> refunds,
    Map<ServiceClass, CreditFailure> creditFailure,
    double providerFee,
    double relayShare) {
  /// Most application names. The limit bounds the size of a tariff.
  public static final int APPLICATIONS_MAX = 1000;

  /// Largest fee or surcharge, den/MB. With it, the bytes that a line of 1 Tbit/s carries in the
  /// longest interval cost an amount that a double of micro-denarii still represents exactly.
  static final double PER_MEGABYTE_MAX = 100;

  /// Largest fee per second of a call, den. A call of ten years still costs an amount that fits
  /// into a long of micro-denarii.
  static final double PER_CALL_SECOND_MAX = 1000;

  /// Largest fee per minute and largest cap, den.
  static final double DENARII_MAX = 1e9;

  public Tariff {
    for (ServiceClass serviceClass : ServiceClass.values()) {
      if (!classes.containsKey(serviceClass)) {
        throw TariffRefusedException.ofKey(
            TariffRule.CLASS_MISSING,
            "classes",
            "classes must have all four, is without " + serviceClass);
      }
    }
    if (applications.size() > APPLICATIONS_MAX
        || !applications.keySet().stream().allMatch(n -> n.matches("[a-z0-9._-]{1,64}"))) {
      throw TariffRefusedException.ofKey(
          TariffRule.NAME,
          "applications",
          "applications must be at most "
              + APPLICATIONS_MAX
              + " names of 1 to 64 characters a-z 0-9 . _ -");
    }
    if (!(providerFee >= 0 && providerFee <= 1)) {
      throw TariffRefusedException.ofKey(
          TariffRule.FRACTION,
          "provider-fee",
          "provider-fee must be between 0 and 1, got " + providerFee);
    }
    if (!(relayShare >= 0 && relayShare + providerFee <= 1)) {
      throw TariffRefusedException.ofKey(
          TariffRule.FRACTION,
          "relay-share",
          "relay-share must be between 0 and 1 - provider-fee, got " + relayShare);
    }
    fees = Amounts.upTo(DENARII_MAX, TariffRule.FINITE_NOT_NEGATIVE, "fees", fees);
    requireAtMost(PER_MEGABYTE_MAX, AccessFee.PER_MEGABYTE, fees);
    requireAtMost(PER_CALL_SECOND_MAX, AccessFee.PER_CALL_SECOND, fees);
    caps = Amounts.upTo(DENARII_MAX, TariffRule.FINITE_NOT_NEGATIVE, "caps", caps);
    refunds = Amounts.upTo(1, TariffRule.FRACTION, "refunds", refunds);
    creditFailure = Collections.unmodifiableMap(new TreeMap<>(creditFailure));
    classes = Collections.unmodifiableMap(new TreeMap<>(classes));
    applications = Collections.unmodifiableMap(new TreeMap<>(applications));
  }

  private static void requireAtMost(double most, AccessFee fee, Map<AccessFee, Double> fees) {
    if (fees.getOrDefault(fee, 0.0) > most) {
      throw TariffRefusedException.ofKey(
          TariffRule.FINITE_NOT_NEGATIVE,
          "fees." + fee,
          "fees.%s must be at most %s, got %s".formatted(fee, most, fees.get(fee)));
    }
  }

  /// Returns the curve of a class.
  public ClassTariff of(ServiceClass serviceClass) {
    ClassTariff tariff = classes.get(serviceClass);
    if (tariff == null) {
      throw new IllegalStateException("tariff without " + serviceClass);
    }
    return tariff;
  }

  /// Returns what happens to the traffic of a class while billing is away.
  public CreditFailure creditFailure(ServiceClass serviceClass) {
    return creditFailure.getOrDefault(serviceClass, CreditFailure.CONTINUE);
  }

  /// Returns a fee, den; 0 without one.
  public double fee(AccessFee fee) {
    return fees.getOrDefault(fee, 0.0);
  }

  /// Returns the share of a charge that is given back for a broken promise, 0..1.
  public double refund(Promise promise) {
    return refunds.getOrDefault(promise, 0.0);
  }

  /// Returns the curve of an application in the class that carried its flow.
  public Curve curve(ServiceClass serviceClass, String application) {
    ApplicationReference reference = applications.get(application);
    return Curve.of(
        of(serviceClass), reference == null ? ApplicationReference.none(serviceClass) : reference);
  }
}
