package io.viaduct.billing.tariff;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/// A tariff. A price depends only on it and on the measurement.
///
/// @param classes one curve for each service class
/// @param applications references by application name; an unknown name has those of its class
/// @param discount rule for the discount on saved bytes
/// @param providerFee share of a settled charge that the SNAPT's owner earns, 0..1
public record Tariff(
    Map<ServiceClass, ClassTariff> classes,
    Map<String, ApplicationReference> applications,
    DiscountRule discount,
    double providerFee) {
  /// Most application names. The limit bounds the size of a tariff.
  public static final int APPLICATIONS_MAX = 1000;

  public Tariff {
    for (ServiceClass serviceClass : ServiceClass.values()) {
      if (!classes.containsKey(serviceClass)) {
        throw new TariffRefusedException(
            TariffRule.CLASS_MISSING, "classes must have all four, is without " + serviceClass);
      }
    }
    if (applications.size() > APPLICATIONS_MAX
        || !applications.keySet().stream().allMatch(n -> n.matches("[a-z0-9._-]{1,64}"))) {
      throw new TariffRefusedException(
          TariffRule.NAME,
          "applications must be at most "
              + APPLICATIONS_MAX
              + " names of 1 to 64 characters a-z 0-9 . _ -");
    }
    if (!(providerFee >= 0 && providerFee <= 1)) {
      throw new TariffRefusedException(
          TariffRule.FRACTION, "provider-fee must be between 0 and 1, got " + providerFee);
    }
    classes = Collections.unmodifiableMap(new TreeMap<>(classes));
    applications = Collections.unmodifiableMap(new TreeMap<>(applications));
  }

  /// Returns the curve of a class.
  public ClassTariff of(ServiceClass serviceClass) {
    ClassTariff tariff = classes.get(serviceClass);
    if (tariff == null) {
      throw new IllegalStateException("tariff without " + serviceClass);
    }
    return tariff;
  }

  /// Returns the curve of an application in the class that carried its flow.
  public Curve curve(ServiceClass serviceClass, String application) {
    ApplicationReference reference = applications.get(application);
    return Curve.of(
        of(serviceClass), reference == null ? ApplicationReference.none(serviceClass) : reference);
  }
}
