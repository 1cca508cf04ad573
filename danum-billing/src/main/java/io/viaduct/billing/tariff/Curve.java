package io.viaduct.billing.tariff;

/// The price curve of one application: that of the class which carried its flow, with the
/// references that are the application's own.
///
/// @param tariff curve of the class
/// @param referenceThroughput x_ref, kbit/s
/// @param referenceDelay d_ref, ms
// = ijans2015 table 1
public record Curve(ClassTariff tariff, double referenceThroughput, double referenceDelay) {
  static Curve of(ClassTariff tariff, ApplicationReference reference) {
    return new Curve(
        tariff,
        reference.referenceThroughput() == 0
            ? tariff.referenceThroughput()
            : reference.referenceThroughput(),
        reference.referenceDelay() == 0 ? tariff.referenceDelay() : reference.referenceDelay());
  }
}
