package io.viaduct.billing.tariff;

/// References of one application that stand in for those of its class; 0 means the class's own.
///
/// @param serviceClass the class that the classification table gives it
/// @param referenceThroughput x_ref, kbit/s, or 0
/// @param referenceDelay d_ref, ms, or 0
// = ijans2015 table 1
public record ApplicationReference(
    ServiceClass serviceClass, double referenceThroughput, double referenceDelay) {
  /// Any application that the tariff does not name: all references are the class's.
  public static ApplicationReference none(ServiceClass serviceClass) {
    return new ApplicationReference(serviceClass, 0, 0);
  }

  public ApplicationReference {
    if (referenceThroughput != 0) {
      ClassTariff.positive("reference-throughput", referenceThroughput);
    }
    if (referenceDelay != 0) {
      ClassTariff.positive("reference-delay", referenceDelay);
    }
  }
}
