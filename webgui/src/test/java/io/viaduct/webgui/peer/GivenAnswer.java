package io.viaduct.webgui.peer;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpResponse;

/// Connections without a network: every request gets the same status and body.
final class GivenAnswer implements ClientHttpRequestFactory {
  private final int status;
  private final byte[] body;

  GivenAnswer(int status, byte[] body) {
    this.status = status;
    this.body = body;
  }

  @Override
  public ClientHttpRequest createRequest(URI uri, HttpMethod method) {
    return new Request(uri, method);
  }

  private final class Request implements ClientHttpRequest {
    private final URI uri;
    private final HttpMethod method;
    private final HttpHeaders headers = new HttpHeaders();
    private final Map<String, Object> attributes = new HashMap<>();

    Request(URI uri, HttpMethod method) {
      this.uri = uri;
      this.method = method;
    }

    @Override
    public ClientHttpResponse execute() {
      return new Response();
    }

    @Override
    public OutputStream getBody() {
      return new ByteArrayOutputStream();
    }

    @Override
    public HttpMethod getMethod() {
      return method;
    }

    @Override
    public URI getURI() {
      return uri;
    }

    @Override
    public Map<String, Object> getAttributes() {
      return attributes;
    }

    @Override
    public HttpHeaders getHeaders() {
      return headers;
    }
  }

  private final class Response implements ClientHttpResponse {
    @Override
    public HttpStatusCode getStatusCode() {
      return HttpStatusCode.valueOf(status);
    }

    @Override
    public String getStatusText() {
      return "";
    }

    @Override
    public InputStream getBody() {
      return new ByteArrayInputStream(body);
    }

    @Override
    public HttpHeaders getHeaders() {
      HttpHeaders headers = new HttpHeaders();
      headers.setContentType(MediaType.APPLICATION_JSON);
      return headers;
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }
}
