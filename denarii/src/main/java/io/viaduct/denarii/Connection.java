package io.viaduct.denarii;

import io.viaduct.denarii.api.BillingApi;
import io.viaduct.denarii.api.LoginFile;
import io.viaduct.denarii.api.NotLoggedInException;
import io.viaduct.service.configuration.PrivateFile;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options that say where billing is, and who asks.
final class Connection {
  private static final String DEFAULT_BILLING = "http://127.0.0.1:8082";

  @Option(
      names = "--billing",
      paramLabel = "URL",
      description =
          "billing's REST interface (default: that of the log-in, else DENARII_BILLING, else "
              + DEFAULT_BILLING
              + ")")
  private @Nullable URI billing;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description =
          "file with a bearer token, mode 600 (default: DENARII_TOKEN_FILE, else the log-in)")
  private @Nullable Path tokenFile;

  /// Returns billing's URL when nobody has logged in.
  URI billing(Surroundings surroundings) {
    URI url =
        billing != null
            ? billing
            : URI.create(surroundings.variable("DENARII_BILLING", DEFAULT_BILLING));
    if (url.getHost() == null || !String.valueOf(url.getScheme()).matches("https?")) {
      throw new IllegalArgumentException(
          "--billing must be a URL such as %s, got '%s'".formatted(DEFAULT_BILLING, url));
    }
    return url;
  }

  /// Returns billing with the token of the caller.
  BillingApi open(Surroundings surroundings) throws IOException {
    Optional<Path> file = tokenFile(surroundings);
    if (file.isPresent()) {
      PrivateFile.require(file.get());
      return new BillingApi(billing(surroundings), Files.readString(file.get()).strip());
    }
    LoginFile.Login login = login(surroundings);
    return new BillingApi(billing == null ? login.billing() : billing(surroundings), login.token());
  }

  /// Returns the account of the log-in.
  String account(Surroundings surroundings) throws IOException {
    if (tokenFile(surroundings).isPresent()) {
      throw new IllegalArgumentException("name the account: a token file does not say whose it is");
    }
    return login(surroundings).user();
  }

  private Optional<Path> tokenFile(Surroundings surroundings) {
    if (tokenFile != null) {
      return Optional.of(tokenFile);
    }
    String variable = surroundings.variable("DENARII_TOKEN_FILE", "");
    return variable.isEmpty() ? Optional.empty() : Optional.of(Path.of(variable));
  }

  private static LoginFile.Login login(Surroundings surroundings) throws IOException {
    LoginFile.Login login =
        new LoginFile(surroundings.loginFile())
            .read()
            .orElseThrow(() ->
                new NotLoggedInException("nobody has logged in: run denarii login --user NAME"));
    if (!surroundings.clock().instant().isBefore(login.expiresAt())) {
      throw new NotLoggedInException(
          "the log-in of %s ended at %s: run denarii login --user %s"
              .formatted(login.user(), login.expiresAt(), login.user()));
    }
    return login;
  }
}
