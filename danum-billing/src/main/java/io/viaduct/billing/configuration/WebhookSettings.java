package io.viaduct.billing.configuration;

import static io.viaduct.billing.configuration.Rules.between;
import static io.viaduct.billing.configuration.Rules.require;

import io.viaduct.service.configuration.FileName;
import io.viaduct.service.configuration.Secret;
import java.time.Duration;

/// A receiver of notices by HTTP.
///
/// @param url http or https; empty for none
/// @param secretFile file with the secret of the signature; required if there is a URL
/// @param deadline time that one delivery may take
/// @param attempts deliveries of one notice until it is given up
public record WebhookSettings(
    String url, @FileName String secretFile, Duration deadline, int attempts) {
  public WebhookSettings {
    require(
        url.isEmpty() || url.matches("https?://[\\x21-\\x7e]{1,1000}"),
        "url must start with http:// or https://, or be empty",
        url);
    require(
        url.isEmpty() || !secretFile.isEmpty(),
        "secret-file must be given with the url",
        secretFile);
    between("deadline", deadline, Duration.ofMillis(100), Duration.ofMinutes(1));
    require(
        attempts >= 1 && attempts <= 100, "attempts must be 1 to 100", Integer.toString(attempts));
    if (!secretFile.isEmpty()) {
      Secret.of(secretFile);
    }
  }
}
