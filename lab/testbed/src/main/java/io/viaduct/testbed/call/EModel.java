package io.viaduct.testbed.call;

/// Quality of a telephone call by the E-model (ITU-T G.107, 06/2015), with G.711 as the codec.
/// Every parameter but delay and loss has its default value.
///
/// The receiver conceals no loss: for G.711, Ie = 0 and Bpl = 4.3 (ITU-T G.113, appendix I). With
/// the concealment of G.711 appendix I it would be 25.1. Losses count as random (BurstR = 1).
///
/// @param rating R: from 0, unusable, to 93.2, as good as the narrow band allows
public record EModel(double rating) {
  private static final double RO = 94.769; // signal to noise, section 7.2
  private static final double IS = 1.413; // impairments of the signal itself, section 7.3
  private static final double BPL = 4.3;
  private static final double NO_DB = -61.179; // sum of all noises
  private static final double TELR_DB = 65; // talker echo loudness rating
  private static final double WEPL_DB = 110; // weighted echo path loss
  private static final double RLR_DB = 2; // receive loudness rating

  /// Rates a call.
  ///
  /// @param delayMs mean time from mouth to ear, one way
  /// @param lossPercent packets that the listener does not hear, 0 to 100
  /// @throws IllegalArgumentException for a delay or a loss that cannot be
  public static EModel of(double delayMs, double lossPercent) {
    if (!(delayMs >= 0 && lossPercent >= 0 && lossPercent <= 100)) {
      throw new IllegalArgumentException(
          "a delay of %s ms with a loss of %s %% cannot be".formatted(delayMs, lossPercent));
    }
    double delay = talkerEcho(delayMs) + listenerEcho(2 * delayMs) + tooLate(delayMs);
    double equipment = 95 * lossPercent / (lossPercent + BPL); // Ie,eff, section 7.5
    return new EModel(Math.clamp(RO - IS - delay - equipment, 0, 100));
  }

  /// Returns the mean opinion score, 1 (bad) to 4.5 (annex B).
  public double mos() {
    return 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6;
  }

  // Idte. Never below 0, as the formula is for some milliseconds: no delay makes a call better.
  private static double talkerEcho(double delayMs) {
    double terv =
        TELR_DB
            - 40 * Math.log10((1 + delayMs / 10) / (1 + delayMs / 150))
            + 6 * Math.exp(-0.3 * delayMs * delayMs);
    double difference = (-1.5 * (NO_DB - RLR_DB) - (80 + 2.5 * (terv - 14))) / 2;
    return Math.max(0, difference + Math.hypot(difference, 10) - 1) * (1 - Math.exp(-delayMs));
  }

  // Idle.
  private static double listenerEcho(double roundTripMs) {
    double difference = (RO - 10.5 * (WEPL_DB + 7) * Math.pow(roundTripMs + 1, -0.25)) / 2;
    return difference + Math.hypot(difference, 13);
  }

  // Idd: too long for a conversation, also without any echo.
  private static double tooLate(double delayMs) {
    if (delayMs <= 100) {
      return 0;
    }
    double x = Math.log(delayMs / 100) / Math.log(2);
    return 25 * (root(x) - 3 * root(x / 3) + 2);
  }

  private static double root(double x) {
    return Math.pow(1 + Math.pow(x, 6), 1.0 / 6);
  }
}
