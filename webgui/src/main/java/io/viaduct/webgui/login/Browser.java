package io.viaduct.webgui.login;

import io.viaduct.service.throttle.TrustedProxies;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.InetAddress;
import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;

/// The browser of an attempt to log in: where it is, and billing's mark of its last log-in. A mark
/// is no credential: it keeps the wrong passwords of others from this browser.
///
/// @param address numeric
/// @param mark as billing gave it; empty if the browser has none
record Browser(String address, String mark) {
  private static final String COOKIE = "VIADUCT_BROWSER";
  private static final int MARK_LENGTH_MAX = 128;

  /// As long as billing knows a mark.
  private static final Duration LIFETIME = Duration.ofDays(180);

  static Browser of(HttpServletRequest request, TrustedProxies proxies) {
    InetAddress visitor = proxies.visitor(request.getRemoteAddr(), request::getHeaders);
    return new Browser(visitor.getHostAddress(), mark(request));
  }

  private static String mark(HttpServletRequest request) {
    Cookie[] cookies = request.getCookies();
    if (cookies == null) {
      return "";
    }
    for (Cookie cookie : cookies) {
      if (cookie.getName().equals(COOKIE) && cookie.getValue().length() <= MARK_LENGTH_MAX) {
        return cookie.getValue();
      }
    }
    return "";
  }

  /// Gives the browser its mark; it comes back with the log-in form only.
  void keepMark(HttpServletRequest request, HttpServletResponse response, boolean secure) {
    if (!mark.isEmpty()) {
      response.addHeader(
          HttpHeaders.SET_COOKIE,
          ResponseCookie.from(COOKIE, mark)
              .path(request.getContextPath() + "/login")
              .maxAge(LIFETIME)
              .httpOnly(true)
              .secure(secure)
              .sameSite("Lax")
              .build()
              .toString());
    }
  }

  @Override
  public String toString() {
    return "Browser[" + address + "]";
  }
}
