package io.viaduct.webgui.page;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TimeZone;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.context.i18n.LocaleContext;
import org.springframework.context.i18n.TimeZoneAwareLocaleContext;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;
import org.springframework.web.servlet.LocaleContextResolver;
import org.springframework.web.util.WebUtils;

/// Finds a viewer's language and time zone in the request. The language is the one chosen on a page
/// (cookie), else the browser's first that we have. The zone is what `zone.js` found in the browser
/// (cookie), else UTC. Controllers take both as arguments of type `Locale` and `ZoneId`.
public final class Viewer implements LocaleContextResolver {
  static final String LANGUAGE_COOKIE = "VIADUCT_LANGUAGE";
  static final String ZONE_COOKIE = "VIADUCT_ZONE";

  /// The zones that billing knows: names of a region, and UTC.
  private static final Set<String> ZONES =
      ZoneId.getAvailableZoneIds().stream()
          .filter(name -> name.contains("/") || name.equals("UTC"))
          .collect(Collectors.toUnmodifiableSet());

  private static final Duration LANGUAGE_LIFETIME = Duration.ofDays(365);

  private final Languages languages;
  private final boolean secure;

  /// @param secure true if cookies are for TLS only
  public Viewer(Languages languages, boolean secure) {
    this.languages = languages;
    this.secure = secure;
  }

  @Override
  public LocaleContext resolveLocaleContext(HttpServletRequest request) {
    Locale locale = language(request);
    TimeZone zone = TimeZone.getTimeZone(zone(request));
    return new TimeZoneAwareLocaleContext() {
      @Override
      public Locale getLocale() {
        return locale;
      }

      @Override
      public TimeZone getTimeZone() {
        return zone;
      }
    };
  }

  private Locale language(HttpServletRequest request) {
    return cookie(request, LANGUAGE_COOKIE)
        .flatMap(languages::find)
        .orElseGet(() -> languages.best(request.getHeader(HttpHeaders.ACCEPT_LANGUAGE)));
  }

  /// The viewer's zone; UTC where the browser has not said, or said something that is no zone.
  static ZoneId zone(HttpServletRequest request) {
    return cookie(request, ZONE_COOKIE)
        .filter(ZONES::contains)
        .map(ZoneId::of)
        .orElse(ZoneOffset.UTC);
  }

  private static Optional<String> cookie(HttpServletRequest request, String name) {
    Cookie cookie = WebUtils.getCookie(request, name);
    return Optional.ofNullable(cookie).map(Cookie::getValue);
  }

  /// Keeps the chosen language in the browser for a year.
  @Override
  public void setLocaleContext(
      HttpServletRequest request,
      @Nullable HttpServletResponse response,
      @Nullable LocaleContext chosen) {
    if (response == null || chosen == null || chosen.getLocale() == null) {
      throw new IllegalArgumentException("a choice of language needs a language and an answer");
    }
    response.addHeader(
        HttpHeaders.SET_COOKIE,
        ResponseCookie.from(LANGUAGE_COOKIE, chosen.getLocale().toLanguageTag())
            .path(request.getContextPath() + "/")
            .maxAge(LANGUAGE_LIFETIME)
            .httpOnly(true)
            .secure(secure)
            .sameSite("Lax")
            .build()
            .toString());
  }
}
