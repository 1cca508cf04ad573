package io.viaduct.billing.configuration;

import static io.viaduct.billing.configuration.Rules.between;
import static io.viaduct.billing.configuration.Rules.require;

import io.viaduct.service.configuration.FileName;
import io.viaduct.service.configuration.Secret;
import java.time.Duration;

/// The payment provider, at whose page users pay.
///
/// @param page address of the pay page; empty for none
/// @param secretFile file with the secret that the provider signs its events with; required if
///   there is a page
/// @param tolerance most difference between the time of a signature and billing's clock
/// @param least smallest payment, denarii
/// @param most largest payment, denarii
public record PaymentsSettings(
    String page, @FileName String secretFile, Duration tolerance, long least, long most) {
  public PaymentsSettings {
    require(
        page.isEmpty() || page.matches("https?://[\\x21-\\x7e&&[^#]]{1,1000}"),
        "page must start with http:// or https:// and have no fragment, or be empty",
        page);
    require(
        page.isEmpty() || !secretFile.isEmpty(),
        "secret-file must be given with the page",
        secretFile);
    between("tolerance", tolerance, Duration.ofSeconds(1), Duration.ofHours(1));
    require(
        least >= 1 && least <= most && most <= Rules.DENARII_MAX,
        "least and most must be 1 to " + Rules.DENARII_MAX + " denarii, and least not above most",
        least + " and " + most);
    if (!secretFile.isEmpty()) {
      Secret.of(secretFile);
    }
  }
}
