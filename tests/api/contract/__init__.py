"""Every reply of the API that any test gets is held against the OpenAPI document."""
