package io.viaduct.billing.tariff;

/// Reference values of one application. They replace those of its class; 0 keeps the class's own.
///
/// @param serviceClass class of service in the classification table
/// @param referenceThroughput x_ref, kbit/s, or 0
/// @param referenceDelay d_ref, ms, or 0
// = ijans2015 table 1
public record ApplicationReference(
    ServiceClass serviceClass, double referenceThroughput, double referenceDelay) {
  /// Returns the references of an application that the tariff does not name: those of its class.
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
