package io.viaduct.testbed.demo;

import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the user's page as a browser without scripts would; for one login.
final class Page {
  private static final Pattern CSRF = Pattern.compile("name=\"_csrf\"[^>]*value=\"([^\"]+)\"");
  private static final Pattern BALANCE =
      Pattern.compile("data-testid=\"balance\" data-microdenarii=\"(-?\\d+)\"");

  private final URI base;
  private final HttpClient browser =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .cookieHandler(new CookieManager())
          .followRedirects(HttpClient.Redirect.NORMAL)
          .connectTimeout(Duration.ofSeconds(5))
          .build();

  /// Makes a browser.
  ///
  /// @param base URI of the web GUI, with a closing slash
  Page(URI base) {
    this.base = base;
  }

  Page logIn(String user, String password) throws IOException {
    Matcher csrf = CSRF.matcher(get("login"));
    String form =
        "username=%s&password=%s%s"
            .formatted(
                user,
                URLEncoder.encode(password, StandardCharsets.UTF_8),
                csrf.find()
                    ? "&_csrf=" + URLEncoder.encode(csrf.group(1), StandardCharsets.UTF_8)
                    : "");
    send(
        HttpRequest.newBuilder(base.resolve("login"))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form)));
    return this;
  }

  /// Returns the balance from the page's `data-microdenarii` attribute.
  long balance() throws IOException {
    String html = get("");
    Matcher amount = BALANCE.matcher(html);
    if (!amount.find()) {
      throw new IOException("the page shows no amount (data-microdenarii)");
    }
    return Long.parseLong(amount.group(1));
  }

  private String get(String path) throws IOException {
    return send(HttpRequest.newBuilder(base.resolve(path)));
  }

  private String send(HttpRequest.Builder request) throws IOException {
    try {
      HttpResponse<String> response =
          browser.send(
              request.timeout(Duration.ofSeconds(10)).build(),
              HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new IOException(response.uri() + " answered " + response.statusCode());
      }
      return response.body();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
