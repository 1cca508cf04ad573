package io.viaduct.webgui;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.CookieManager;
import java.net.CookiePolicy;
import java.net.HttpCookie;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// A browser without JavaScript: cookies, forms, redirects by hand.
public final class Visitor implements AutoCloseable {
  private final URI pages;
  private final CookieManager cookies = new CookieManager(null, CookiePolicy.ACCEPT_ALL);
  private final HttpClient http = HttpClient.newBuilder().cookieHandler(cookies).build();

  public Visitor(URI pages) {
    this.pages = pages;
  }

  public static Visitor anonymous() {
    return new Visitor(RunningWebgui.pages());
  }

  public static Visitor signedIn(String user, String password) {
    Visitor visitor = anonymous();
    HttpResponse<String> answer = visitor.logIn(user, password);
    if (answer.statusCode() != 302 || location(answer).contains("problem")) {
      throw new AssertionError("log-in of " + user + ": " + location(answer));
    }
    return visitor;
  }

  public static Visitor alice() {
    return signedIn("alice", "wonder land");
  }

  public static Visitor operator() {
    return signedIn("olga", "operates");
  }

  public HttpResponse<String> logIn(String user, String password) {
    String form = get("/login").body();
    return post(
        "/login", Map.of("username", user, "password", password, "_csrf", hidden(form, "_csrf")));
  }

  public HttpResponse<String> get(String path, String... headers) {
    return send(request(path, headers).GET().build());
  }

  public HttpResponse<String> post(String path, Map<String, String> form, String... headers) {
    return send(
        request(path, headers)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(encode(form)))
            .build());
  }

  public HttpRequest.Builder request(String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(pages.resolve(path)).timeout(Duration.ofSeconds(20));
    if (headers.length == 0) {
      return request.header("Accept", "text/html");
    }
    return request.headers(headers);
  }

  public HttpResponse<String> send(HttpRequest request) {
    try {
      return http.send(request, BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  public HttpClient http() {
    return http;
  }

  public Optional<HttpCookie> cookie(String name) {
    return cookies.getCookieStore().getCookies().stream()
        .filter(cookie -> cookie.getName().equals(name))
        .findFirst();
  }

  /// Keeps a cookie as a script of the page would.
  public void keep(String name, String value) {
    HttpCookie cookie = new HttpCookie(name, value);
    cookie.setPath("/");
    cookie.setVersion(0);
    cookies.getCookieStore().add(pages, cookie);
  }

  public static String location(HttpResponse<?> answer) {
    return answer.headers().firstValue("Location").orElse("");
  }

  /// Value of a hidden input, by its name.
  public static String hidden(String page, String name) {
    return first(page, "<input[^>]*name=\"" + name + "\"[^>]*value=\"([^\"]*)\"");
  }

  /// First group of the first match, which must exist.
  public static String first(String page, String pattern) {
    Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(page);
    if (!matcher.find()) {
      throw new AssertionError("no " + pattern + " in\n" + page);
    }
    return matcher.group(1);
  }

  /// The text inside the element with that `data-testid`, tags removed, spaces collapsed.
  public static String text(String page, String testId) {
    Matcher element =
        Pattern.compile(
                "<(\\w+)[^>]*data-testid=\"" + testId + "\"[^>]*>(.*?)</\\1>", Pattern.DOTALL)
            .matcher(page);
    if (!element.find()) {
      throw new AssertionError("no " + testId + " in\n" + page);
    }
    return element.group(2).replaceAll("<[^>]*>", " ").replaceAll("[\\s\u00a0]+", " ").strip();
  }

  private static String encode(Map<String, String> form) {
    return form.entrySet().stream()
        .map(field ->
            URLEncoder.encode(field.getKey(), StandardCharsets.UTF_8)
                + "="
                + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
  }

  @Override
  public void close() {
    http.close();
  }
}
